export { createForrstHandler } from './handler.ts'
export { type ForrstOptions, forrst } from './surface.ts'
