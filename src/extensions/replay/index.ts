export { type ReplayExtensionOptions, replayExtension } from './replay.ts'
