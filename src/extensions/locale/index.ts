export { type LocaleExtensionOptions, type LocalMessage, localeExtension } from './locale.ts'
