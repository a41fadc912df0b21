export { addResponses } from './openapi-results.ts'
export { createMockService, type MockFailure, type MockOptions } from './service.ts'
export { createValueMaker } from './value.ts'
