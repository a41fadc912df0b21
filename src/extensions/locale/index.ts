export { type LocaleExtensionOptions, localeExtension } from './locale.ts'
