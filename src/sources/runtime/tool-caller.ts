import { readApiKey, readBasic, readBearer } from './auth.ts'
import { encodeFormBody, encodeJsonBody, encodeMultipartBody, encodeRawBody } from './body.ts'
import { type Caller, type CallerOptions, createCaller } from './call-tool.ts'
import { createOauth2 } from './oauth2.ts'
import { readPage, trimAnswer } from './response.ts'

/** Makes a caller that knows every way to authenticate, every body and every answer. */
export function createToolCaller(options: CallerOptions = {}): Caller {
  return createCaller(
    {
      auth: {
        bearer: readBearer,
        api_key: readApiKey,
        basic: readBasic,
        oauth2: createOauth2(),
      },
      bodies: {
        json: encodeJsonBody,
        form: encodeFormBody,
        multipart: encodeMultipartBody,
        raw: encodeRawBody,
      },
      trim: trimAnswer,
      page: readPage,
    },
    options,
  )
}
