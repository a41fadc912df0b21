import type { Logger } from '../../core/index.ts'
import {
  type Check,
  compileSchema,
  findSchemaMistakes,
  type JsonSchema,
  type Validation,
} from '../../schema/index.ts'
import { andThen, type Maybe, toShort } from '../../values/index.ts'
import { toArgumentsSchema } from './encode.ts'
import type { Tool, ValidateResult } from './tool.ts'

/** Checks arguments against the schema of a tool, without ever running it. */
export type ValidateArguments = (tool: Tool, args: unknown) => Maybe<ValidateResult>

/** A check of the tool's owner, where there is one. */
export type CheckTool = (tool: Tool, args: unknown) => Maybe<Validation> | undefined

const VALID: ValidateResult = { valid: true }

/** Makes a validator that compiles each schema object once and forgets it when the schema goes. */
export function createValidator(
  own: CheckTool = () => undefined,
  log: Pick<Logger, 'warn'> = console,
): ValidateArguments {
  const checks = new WeakMap<object, Check | ValidateResult>()

  function compiled(schema: JsonSchema): Check | ValidateResult {
    const known = checks.get(schema)
    if (known !== undefined) return known
    const made = tryCompile(schema, log)
    checks.set(schema, made)
    return made
  }

  function checkSchema(tool: Tool, args: unknown): Maybe<ValidateResult> {
    const schema = toArgumentsSchema(tool)
    if (schema === true) return VALID
    if (schema === false) return refuse('', 'no arguments are accepted', 'false schema')
    const check = compiled(schema)
    return typeof check === 'function' ? andThen(check(args), toVerdict) : check
  }

  return (tool, args) => {
    const decision = own(tool, args)
    if (decision === undefined) return checkSchema(tool, args)
    return andThen(decision, (decided) => {
      if (decided.ok) return VALID
      // The owner decides; callers know the schema, so it says what is wrong wherever it can.
      return andThen(checkSchema(tool, args), (said) => (said.valid ? toVerdict(decided) : said))
    })
  }
}

function tryCompile(schema: JsonSchema, log: Pick<Logger, 'warn'>): Check | ValidateResult {
  try {
    const [mistake] = findSchemaMistakes(schema)
    if (mistake !== undefined) return refuseSchema(`${mistake.pointer} ${mistake.message}`)
    return compileSchema(schema, { safeIntegers: true, assertFormats: true })
  } catch (error) {
    log.warn('the schema of a tool cannot be compiled', { error })
    return refuseSchema('it cannot be compiled; the log of the server says why')
  }
}

function refuseSchema(reason: string): ValidateResult {
  return refuse('', `Invalid schema: ${reason}`, 'schema')
}

/** A path holds the names that were sent, and those may be as long as the body. */
const MAX_PATH = 2_000

function toVerdict(validation: Validation): ValidateResult {
  if (validation.ok) return VALID
  return {
    valid: false,
    errors: validation.problems.map(({ pointer, message, code }) => ({
      path: toShort(pointer, MAX_PATH),
      message: toShort(message, MAX_PATH),
      keyword: code,
    })),
  }
}

function refuse(path: string, message: string, keyword: string): ValidateResult {
  return { valid: false, errors: [{ path, message, keyword }] }
}
