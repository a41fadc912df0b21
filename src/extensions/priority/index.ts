export { type PriorityExtensionOptions, priorityExtension } from './priority.ts'
