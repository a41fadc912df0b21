export { deprecationExtension } from './deprecation.ts'
export { readDeprecationDeclaration } from './notice.ts'
