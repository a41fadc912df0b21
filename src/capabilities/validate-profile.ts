import { isRecord } from '../core/json.ts'
import { compileSchema, type SchemaCheck } from '../core/json-schema.ts'
import { isVersion } from './name.ts'
import { buildProfileSchema, type Layout, layoutOf } from './profile-schema.ts'
import type { ProfileValidator } from './profile-validator.ts'

/** Makes a validator for all published layouts. */
export function createProfileValidator(): ProfileValidator {
  const checks = new Map<string, SchemaCheck>()
  return {
    problems: (profile, side, layout = declaredLayout(profile)) => {
      const key = `${side} ${layout}`
      const check = checks.get(key) ?? compileSchema(buildProfileSchema(side, layout), OPTIONS)
      checks.set(key, check)
      const validation = check(profile)
      return validation.ok ? [] : validation.problems
    },
  }
}

const OPTIONS = { assertFormats: true }

function declaredLayout(profile: unknown): Layout {
  const ucp = isRecord(profile) ? profile['ucp'] : undefined
  const version = isRecord(ucp) ? ucp['version'] : undefined
  return layoutOf(isVersion(version) ? version : '2026-08-25')
}
