export { type DeadlineExtensionOptions, deadlineExtension } from './deadline.ts'
