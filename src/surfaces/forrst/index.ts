export { createForrstHandler, refuseForrst } from './handler.ts'
export { type ForrstOptions, forrst } from './surface.ts'
