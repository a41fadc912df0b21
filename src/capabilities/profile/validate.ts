import { compileSchema, type Problem, type SchemaCheck } from '../../schema/index.ts'
import { isRecord } from '../../values/index.ts'
import { isDateVersion, type Side } from '../model.ts'
import { buildProfileSchema, type Layout, layoutOf } from './schema.ts'

/** Checks profiles strictly, as published; each layout is compiled when it is first needed. */
export interface ProfileValidator {
  /** Lists what violates the layout of the profile's own version, or the layout that is asked for. */
  readonly problems: (profile: unknown, side: Side, layout?: Layout) => readonly Problem[]
}

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
  return layoutOf(isDateVersion(version) ? version : '2026-08-25')
}
