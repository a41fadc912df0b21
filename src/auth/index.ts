export {
  type ApiKey,
  type ApiKeys,
  type ApiKeysOptions,
  apiKeys,
  createApiKeys,
  type NewApiKey,
} from './api-keys.ts'
export { type Authenticate, firstOf } from './authenticator.ts'
export {
  type ClientCertificate,
  type ClientCertificatesOptions,
  clientCertificates,
} from './client-certificates.ts'
export { type JwtOptions, jwt, type OAuthResourceOptions, oauthResource } from './jwt.ts'
