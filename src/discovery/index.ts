export { checkDocument, checkHead } from './check-document.ts'
export {
  ADDITIONAL_ARGUMENTS,
  type DiscoveryDocument,
  decodeComponents,
  decodeDocument,
  decodeFunctionObject,
  type FunctionObject,
  REQUIRED_SCOPES,
} from './decode.ts'
export { type BuildDocumentOptions, buildDocument } from './document.ts'
export { toExtensionVersions, toFunctionObject, toStandaloneFunction } from './function-object.ts'
export { buildLlmsText, type LlmsLink, type LlmsOptions } from './llms.ts'
export {
  type SiteExample,
  type SiteFunction,
  type SiteModel,
  type SiteVersion,
  toSiteModel,
} from './outline.ts'
export { createSchemaCollection } from './schema-collection.ts'
