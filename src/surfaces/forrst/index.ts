export { createForrstHandler, refuseForrst } from './handler.ts'
