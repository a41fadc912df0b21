import type { Chance } from './chance.ts'
import type { Node } from './sites.ts'
import { VALUES } from './values.ts'

/** Gives some schema, or what stands where one should. */
export function pickSchema(chance: Chance): unknown {
  return structuredClone(chance.pick(VALUES.schemas))
}

/** Makes a parameter. */
export function oddParameter(chance: Chance): Node {
  return {
    name: chance.pick(VALUES.names),
    in: chance.pick(['query', 'path', 'header', 'cookie']),
    required: chance.pick([true, false, 'true', undefined]),
    schema: pickSchema(chance),
  }
}

/** Makes a request body. */
export function oddBody(chance: Chance): Node {
  return {
    required: chance.pick([true, false, 'true', null]),
    description: chance.pick(VALUES.texts),
    content: oddContent(chance),
  }
}

/** Makes the content of a body. */
export function oddContent(chance: Chance): Node {
  const media = {
    schema: pickSchema(chance),
    example: chance.pick(VALUES.texts),
    encoding: chance.pick([
      undefined,
      null,
      { a: null },
      { a: { contentType: 'image/png, image/jpeg', style: 'x', headers: { A: {} } } },
    ]),
  }
  return {
    [chance.pick(VALUES.mediaTypes)]: media,
    [chance.pick(VALUES.mediaTypes)]: chance.pick([null, {}, media]),
  }
}
