export { createProfileSurface, type ProfileOptions, type ProfileSurface } from './handler.ts'
