// Who calls: API keys, signed tokens, and an OAuth resource server.
export {
  type ApiKey,
  type ApiKeys,
  type ApiKeysOptions,
  type Authenticate,
  apiKeys,
  type ClientCertificate,
  type ClientCertificatesOptions,
  clientCertificates,
  createApiKeys,
  firstOf,
  type JwtOptions,
  jwt,
  type NewApiKey,
  type OAuthResourceOptions,
  oauthResource,
} from '../auth/index.ts'
