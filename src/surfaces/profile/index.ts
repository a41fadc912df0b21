export { createProfileSurface, type ProfileOptions, type ProfileSurface } from './handler.ts'
export { profile } from './surface.ts'
