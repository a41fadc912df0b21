export { type CachingExtensionOptions, cachingExtension } from './caching.ts'
export { readCacheDeclaration } from './declaration.ts'
