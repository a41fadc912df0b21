import { checkAuth, checkFields, checkRootField, warnAboutDefaults } from './check-fields.ts'
import { checkTriggers } from './check-triggers.ts'
import { argumentName, locationOf, placeholdersOf } from './fields.ts'
import { quote, type Report } from './finding.ts'
import { parseEnvText } from './format.ts'
import type { FieldDef, ToolDef, ToolSpec } from './types.ts'
import type { PathStep } from './yaml.ts'

/** Choices of the rules between fields. */
export interface CheckOptions {
  /** Lets `watch_path` be absolute or leave the project. */
  readonly allowAbsolutePaths?: boolean
}

/** Applies the rules between fields to a spec whose shape is right. */
export function checkSpec(spec: ToolSpec, report: Report, options: CheckOptions = {}): void {
  if (spec.tools.length === 0 && (spec.triggers ?? []).length === 0) {
    const message = 'must hold at least one tool when there are no triggers; found an empty list'
    report({ code: 'E012', path: ['tools'], message, hint: 'add a tool or a trigger' })
  }
  checkBaseUrl(spec.base_url, ['base_url'], report)
  if (spec.auth) checkAuth(spec.auth, ['auth'], report)
  checkUniqueNames(spec.tools, 'tools', 'tool', report)
  for (const [index, tool] of spec.tools.entries()) checkTool(spec, tool, ['tools', index], report)
  checkUniqueNames(spec.triggers ?? [], 'triggers', 'trigger', report)
  checkTriggers(spec, report, options)
}

function checkTool(spec: ToolSpec, tool: ToolDef, path: readonly PathStep[], report: Report): void {
  if (tool.auth) checkAuth(tool.auth, [...path, 'auth'], report)
  checkBaseUrl(tool.base_url, [...path, 'base_url'], report)
  checkRequestLine(spec, tool, path, report)
  checkPlaceholders(tool, path, report)
  checkBody(tool, path, report)
  checkArguments(tool, path, report)
  checkFields(tool.params ?? [], [...path, 'params'], 'params', report)
  checkFields(tool.body ?? [], [...path, 'body'], 'body', report)
  if (tool.body_root) checkRootField(tool.body_root, [...path, 'body_root'], report)
  checkMediaType(tool.media_type, [...path, 'media_type'], report)
}

function checkBaseUrl(text: string | undefined, path: readonly PathStep[], report: Report): void {
  if (text === undefined) return
  const hint = 'write for example base_url: https://api.example.com/v2'
  const say = (message: string): void => report({ code: 'E013', path, message, hint })
  const tried = parseEnvText(text)
    .map((part, index) => {
      if ('text' in part) return part.text
      return part.fallback ?? (index === 0 ? 'https://unset.example' : 'unset')
    })
    .join('')
  if (!/^https?:\/\/[^/?#\s]/i.test(tried) || !URL.canParse(tried)) {
    say(`must be an http or https address once variables are filled in; found ${quote(text)}`)
  } else if (/[?#]/.test(tried)) {
    say(`must have no query and no fragment; found ${quote(text)}`)
  }
}

function checkUniqueNames(
  entries: readonly { readonly name: string }[],
  list: string,
  noun: string,
  report: Report,
): void {
  const first = new Map<string, number>()
  for (const [index, { name }] of entries.entries()) {
    const earlier = first.get(name)
    if (earlier === undefined) {
      first.set(name, index)
      continue
    }
    const message = `the ${noun} name "${name}" is already used by ${list}[${earlier}]`
    const hint = 'rename one of the two'
    report({ code: 'E021', path: [list, index, 'name'], message, hint })
    report({
      code: 'E021',
      path: [list, earlier, 'name'],
      message: `the ${noun} name "${name}" is used again by ${list}[${index}]`,
      hint,
    })
  }
}

function checkRequestLine(
  spec: ToolSpec,
  tool: ToolDef,
  path: readonly PathStep[],
  report: Report,
): void {
  if (tool.method === undefined && tool.path === undefined) return
  if (tool.path === undefined || tool.method === undefined) {
    const [there, gone] = tool.path === undefined ? ['method', 'path'] : ['path', 'method']
    report({
      code: 'E031',
      path: [...path, there],
      atKey: true,
      message: `"${there}" is there but "${gone}" is missing; an HTTP tool needs both`,
      hint: `add ${gone}, or remove ${there} for a tool without HTTP`,
    })
    return
  }
  if (!tool.path.startsWith('/') || /[?#\s]/.test(tool.path)) {
    report({
      code: 'E030',
      path: [...path, 'path'],
      message: `must start with "/" and have no query, fragment or space; found ${quote(tool.path)}`,
      hint: 'put query parameters into params',
    })
  }
  if (spec.base_url === undefined && tool.base_url === undefined) {
    report({
      code: 'E033',
      path: [...path, 'path'],
      message: 'an HTTP tool needs a base URL; found none in the file and none in the tool',
      hint: 'add base_url: https://api.example.com at the top of the file',
    })
  }
}

function checkPlaceholders(tool: ToolDef, path: readonly PathStep[], report: Report): void {
  if (tool.path === undefined) return
  const params = tool.params ?? []
  const wanted = placeholdersOf(tool.path)
  for (const name of wanted) {
    const matches = params.filter(
      (field) => field.name === name && locationOf(tool, field) === 'path',
    )
    const [match] = matches
    const at = [...path, 'path']
    if (match === undefined) {
      report({
        code: 'E032',
        path: at,
        message: `the path uses {${name}} but params has no entry with that name`,
        hint: `add: - { name: ${name}, type: string, required: true, description: … }`,
      })
    } else if (matches.length > 1) {
      const message = `the path uses {${name}}; expected one entry of params, found ${matches.length}`
      report({ code: 'E032', path: at, message, hint: 'remove all but one' })
    } else if (match.required !== true) {
      const index = params.indexOf(match)
      const message = `a path parameter must be required; found ${quote(match.required)}`
      report({
        code: 'E032',
        path: [...path, 'params', index, 'required'],
        message,
        hint: 'add required: true',
      })
    }
  }
  for (const [index, field] of params.entries()) {
    if (field.in !== 'path' || wanted.includes(field.name ?? '')) continue
    report({
      code: 'E032',
      path: [...path, 'params', index, 'in'],
      message: `in: path, but the path has no {${field.name}}; found ${quote(tool.path)}`,
      hint: `add {${field.name}} to the path, or remove in: path`,
    })
  }
}

function checkBody(tool: ToolDef, path: readonly PathStep[], report: Report): void {
  const key = (tool.body ?? []).length > 0 ? 'body' : tool.body_root ? 'body_root' : undefined
  if (key === undefined) return
  const at = { path: [...path, key], atKey: true }
  if (tool.method === 'GET') {
    const message = 'a GET request has no body; found fields for one'
    report({ ...at, code: 'E034', message, hint: 'move them to params, or use POST' })
  } else if (tool.method === 'DELETE') {
    const message = 'a DELETE request seldom has a body; it is sent, many servers ignore it'
    report({ ...at, code: 'W034', message, hint: 'move the fields to params if the API allows it' })
  }
  if (tool.method === 'PATCH') {
    for (const [index, field] of (tool.body ?? []).entries())
      warnAboutDefaults(field, [...path, 'body', index], report)
    if (tool.body_root) warnAboutDefaults(tool.body_root, [...path, 'body_root'], report)
  }
  if ((tool.body ?? []).length > 0 && tool.body_root) {
    const message = 'body and body_root exclude each other; found both'
    report({ ...at, code: 'E035', message, hint: 'keep body for an object with known fields' })
  }
}

function checkArguments(tool: ToolDef, path: readonly PathStep[], report: Report): void {
  const first = new Map<string, string>()
  const see = (field: FieldDef, at: readonly PathStep[], label: string): void => {
    const name = argumentName(field)
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, label)
    else {
      report({
        code: 'E035',
        path: at,
        message: `the argument "${name}" is already used by ${earlier}`,
        hint: `give one of them another argument name, for example arg: ${name}_query`,
      })
    }
  }
  for (const list of ['params', 'body'] as const) {
    for (const [index, field] of (tool[list] ?? []).entries()) {
      see(field, [...path, list, index], `${list}[${index}]`)
    }
  }
  if (tool.body_root) see(tool.body_root, [...path, 'body_root'], 'body_root')
}

/** A media type goes into a header: a line break in it would start another one. */
function checkMediaType(text: string | undefined, path: readonly PathStep[], report: Report): void {
  if (text === undefined || MEDIA_TYPE.test(text)) return
  const message = `must be a media type such as application/json; found ${quote(text)}`
  report({ code: 'E036', path, message })
}

const MEDIA_TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(\s*;\s*[\w-]+=("[^"\\\r\n]*"|[\w!#$&^.+-]+))*$/
