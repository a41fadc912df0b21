import { checkAuth } from './check-auth.ts'
import { checkDescription, checkField, warnAboutDefaults } from './check-fields.ts'
import { checkTriggers } from './check-triggers.ts'
import { argumentName, locationOf, placeholdersOf } from './fields.ts'
import { quote, type SpecPlace } from './finding.ts'
import { parseEnvText } from './format.ts'
import type { FieldDef, ToolDef, ToolSpec } from './types.ts'

/** Choices of the rules between fields. */
export interface CheckOptions {
  /** Lets `watch_path` be absolute or leave the project. */
  readonly allowAbsolutePaths?: boolean
}

/** Applies the rules between fields to a spec whose shape is right. */
export function checkSpec(spec: ToolSpec, place: SpecPlace, options: CheckOptions = {}): void {
  const { tools, triggers = [] } = spec
  if (tools.length === 0 && triggers.length === 0) {
    const message = 'must hold at least one tool when there are no triggers; found an empty list'
    place.at('tools').say('E012', message, 'add a tool or a trigger')
  }
  checkBaseUrl(spec.base_url, place.at('base_url'))
  if (spec.auth) checkAuth(spec.auth, place.at('auth'))
  checkUniqueNames(tools, 'tool', place.at('tools'))
  place.at('tools').each(tools, (tool, at) => checkTool(spec, tool, at))
  checkUniqueNames(triggers, 'trigger', place.at('triggers'))
  checkTriggers(spec, place.at('triggers'), options)
}

function checkTool(spec: ToolSpec, tool: ToolDef, place: SpecPlace): void {
  if (tool.auth) checkAuth(tool.auth, place.at('auth'))
  checkBaseUrl(tool.base_url, place.at('base_url'))
  checkDescription(tool, place)
  checkRequestLine(spec, tool, place)
  checkPlaceholders(tool, place)
  checkBody(tool, place)
  checkArguments(tool, place)
  place.at('params').each(tool.params, (field, at) => checkField(field, at, 'params'))
  place.at('body').each(tool.body, (field, at) => checkField(field, at, 'body'))
  if (tool.body_root) checkField(tool.body_root, place.at('body_root'), 'body')
  // A media type goes into a header: a line break in it would start another one.
  if (tool.media_type !== undefined && !MEDIA_TYPE.test(tool.media_type)) {
    place.at('media_type').wrong('E036', 'must be a media type such as application/json')
  }
}

const MEDIA_TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(\s*;\s*[\w-]+=("[^"\\\r\n]*"|[\w!#$&^.+-]+))*$/

function checkBaseUrl(text: string | undefined, place: SpecPlace): void {
  if (text === undefined) return
  const hint = 'write for example base_url: https://api.example.com/v2'
  const tried = parseEnvText(text)
    .map((part, index) => {
      if ('text' in part) return part.text
      return part.fallback ?? (index === 0 ? 'https://unset.example' : 'unset')
    })
    .join('')
  if (!/^https?:\/\/[^/?#\s]/i.test(tried) || !URL.canParse(tried)) {
    place.wrong('E013', 'must be an http or https address once variables are filled in', hint)
  } else if (/[?#]/.test(tried)) {
    place.wrong('E013', 'must have no query and no fragment', hint)
  }
}

function checkUniqueNames(
  entries: readonly { readonly name: string }[],
  noun: string,
  place: SpecPlace,
): void {
  const first = new Map<string, number>()
  const say = (index: number, used: string, other: number): void => {
    const message = `the ${noun} name "${entries[index]?.name}" is ${used} by ${noun}s[${other}]`
    place.at(index, 'name').say('E021', message, 'rename one of the two')
  }
  for (const [index, { name }] of entries.entries()) {
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, index)
    else {
      say(index, 'already used', earlier)
      say(earlier, 'used again', index)
    }
  }
}

function checkRequestLine(
  spec: ToolSpec,
  { method, path, base_url }: ToolDef,
  place: SpecPlace,
): void {
  if (method === undefined && path === undefined) return
  if (path === undefined || method === undefined) {
    const [there, gone] = path === undefined ? ['method', 'path'] : ['path', 'method']
    const message = `"${there}" is there but "${gone}" is missing; an HTTP tool needs both`
    place
      .at(there)
      .sayKey('E031', message, `add ${gone}, or remove ${there} for a tool without HTTP`)
    return
  }
  if (!path.startsWith('/') || /[?#\s]/.test(path)) {
    const expected = 'must start with "/" and have no query, fragment or space'
    place.at('path').wrong('E030', expected, 'put query parameters into params')
  }
  const open = /[{}]/.exec(path.replace(/\{[^{}]*\}/g, ''))?.[0]
  if (open !== undefined) {
    const expected = `has a "${open}" without its partner`
    place.at('path').wrong('E030', expected, 'write a path parameter as {name}')
  }
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    const expected = 'must have no "." or ".." segment: it would lead to another path'
    place.at('path').wrong('E030', expected, 'write the path that is meant')
  }
  if (spec.base_url === undefined && base_url === undefined) {
    const message = 'an HTTP tool needs a base URL; found none in the file and none in the tool'
    const hint = 'add base_url: https://api.example.com at the top of the file'
    place.at('path').say('E033', message, hint)
  }
}

function checkPlaceholders(tool: ToolDef, place: SpecPlace): void {
  const { path, params = [] } = tool
  if (path === undefined) return
  const wanted = placeholdersOf(path)
  for (const name of wanted) {
    const at = place.at('path')
    const matches = params.filter(
      (field) => field.name === name && locationOf(tool, field) === 'path',
    )
    const [match] = matches
    if (match === undefined) {
      const message = `the path uses {${name}} but params has no entry with that name`
      const hint = `add: - { name: ${name}, type: string, required: true, description: … }`
      at.say('E032', message, hint)
    } else if (matches.length > 1) {
      const message = `the path uses {${name}}; expected one entry of params, found ${matches.length}`
      at.say('E032', message, 'remove all but one')
    } else if (match.required === false) {
      const required = place.at('params', params.indexOf(match), 'required')
      required.wrong('E032', 'a path parameter must be required', 'remove it')
    }
  }
  place.at('params').each(params, (field, at) => {
    if (field.in !== 'path' || wanted.includes(field.name ?? '')) return
    const message = `in: path, but the path has no {${field.name}}; found ${quote(path)}`
    at.at('in').say('E032', message, `add {${field.name}} to the path, or remove in: path`)
  })
}

function checkBody(tool: ToolDef, place: SpecPlace): void {
  const { method, body = [], body_root: root } = tool
  const key = body.length > 0 ? 'body' : root ? 'body_root' : undefined
  if (key === undefined) return
  const { sayKey } = place.at(key)
  if (method === 'GET') {
    const message = 'a GET request has no body; found fields for one'
    sayKey('E034', message, 'move them to params, or use POST')
  } else if (method === 'DELETE') {
    const message = 'a DELETE request seldom has a body; it is sent, many servers ignore it'
    sayKey('W034', message, 'move the fields to params if the API allows it')
  } else if (method === 'PATCH') {
    place.at('body').each(body, warnAboutDefaults)
    if (root) warnAboutDefaults(root, place.at('body_root'))
  }
  if (body.length > 0 && root) {
    const message = 'body and body_root exclude each other; found both'
    sayKey('E035', message, 'keep body for an object with known fields')
  }
}

function checkArguments(tool: ToolDef, place: SpecPlace): void {
  const first = new Map<string, string>()
  const see = (field: FieldDef, at: SpecPlace, label: string): void => {
    const name = argumentName(field)
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, label)
    else {
      const hint = `give one of them another argument name, for example arg: ${name}_query`
      at.say('E035', `the argument "${name}" is already used by ${earlier}`, hint)
    }
  }
  for (const list of ['params', 'body'] as const) {
    place.at(list).each(tool[list], (field, at, index) => see(field, at, `${list}[${index}]`))
  }
  if (tool.body_root) see(tool.body_root, place.at('body_root'), 'body_root')
}
