import type { Call, Service, Target } from '../../core/index.ts'
import { listFiles } from '../../schema/index.ts'
import { formatPointer, isRecord } from '../../values/index.ts'

/** Says where a result has files, which are text in JSON; undefined when it has none. */
export function listFilePointers(
  result: unknown,
  call: Call,
  service: Service,
): readonly string[] | undefined {
  const target = findTarget(service, call.function, call.version)
  const ofOperation = target?.system === true && isRecord(result) && result['result'] !== undefined
  // The answer to the question for an operation holds the result of another function.
  const pointers = ofOperation
    ? pointersOf(findTarget(service, result['function'], result['version']), result['result'], [
        'result',
      ])
    : pointersOf(target, result, [])
  return pointers.length === 0 ? undefined : pointers
}

function pointersOf(
  target: Target | undefined,
  result: unknown,
  before: readonly string[],
): readonly string[] {
  if (target?.outputFiles === undefined) return []
  return listFiles(result, target.outputFiles).map(({ path }) =>
    formatPointer([...before, ...path]),
  )
}

function findTarget({ registry }: Service, name: unknown, version: unknown): Target | undefined {
  const entry = typeof name === 'string' ? registry.find(name) : undefined
  return typeof version === 'string' ? entry?.versions.get(version) : entry?.latest
}
