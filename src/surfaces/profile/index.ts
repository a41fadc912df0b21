export type { ProfileOptions } from './handler.ts'
export { profile } from './surface.ts'
