// Clients made by other people's generators from our OpenAPI document, calling the running service. Needs the npm registry;
// the generators are installed into a temporary folder. The Java client is compiled where javac and the JAX-RS and Jackson
// jars of Debian are (libjaxrs-api-java, libjackson2-databind-java, libjackson2-jaxrs-providers-java,
// libgeronimo-annotation-1.3-spec-java).
import { execFile, execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rest, serve } from 'waymark'
import { createTicketService } from '../test/generators/service.ts'

const PACKAGES = [
  '@hey-api/openapi-ts@0.95.0',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'openapi-generator-plus@2.22.0',
  '@openapi-generator-plus/java-jaxrs-client-generator@5.0.0',
  '@redocly/cli@2',
  'typescript@5.9',
  'tsx@4',
]

const JARS = [
  'jackson-annotations',
  'jackson-core',
  'jackson-databind',
  'jackson-jaxrs-base',
  'jackson-jaxrs-json-provider',
  'jaxrs-api',
  'jaxb-api',
  'geronimo-annotation-1.3-spec',
].map((name) => `/usr/share/java/${name}.jar`)

const PROCESS = 'declare const process: { env: Record<string, string> }'

const HEY = `${PROCESS}
import { client } from './hey/client.gen'
import { changeTicket, getTicket, listTickets } from './hey/sdk.gen'
client.setConfig({ baseUrl: process.env.URL })
const changed = await changeTicket({ path: { id: 7 }, body: { title: 'Scanner' } })
const read = await getTicket({ path: { id: 7 } })
const list = await listTickets({ query: { open: true, tags: ['office'] } })
const none = await getTicket({ path: { id: 8 } })
const title: string | undefined = list.data && 'tickets' in list.data ? list.data.tickets[0]?.title : undefined
if (changed.response.status !== 200 || title !== 'Scanner') throw new Error(JSON.stringify([changed.data, read.data, list.data]))
if (none.response.status !== 404 || (none.error as { code?: string }).code !== 'TICKETS_UNKNOWN') throw new Error(JSON.stringify(none.error))
console.log('hey-api: 4 calls')
`

const FETCH = `${PROCESS}
import createClient from 'openapi-fetch'
import type { paths } from './types'
const client = createClient<paths>({ baseUrl: process.env.URL })
const changed = await client.PATCH('/api/tickets/{id}', { params: { path: { id: 7 } }, body: { title: 'Copier' } })
const list = await client.GET('/api/tickets', { params: { query: { open: true, tags: ['office'] } } })
const none = await client.GET('/api/tickets/{id}', { params: { path: { id: 8 } } })
const title: string | undefined = list.data && 'tickets' in list.data ? list.data.tickets[0]?.title : undefined
if (changed.response.status !== 200 || title !== 'Copier') throw new Error(JSON.stringify([changed.data, list.data]))
if (none.error?.code !== 'TICKETS_UNKNOWN') throw new Error(JSON.stringify(none.error))
console.log('openapi-typescript and openapi-fetch: 3 calls')
`

/** Annotations that the Java client carries for documentation alone; their package is not in Debian. */
const ANNOTATIONS: Readonly<Record<string, string>> = {
  Operation:
    'String operationId() default ""; String summary() default ""; String description() default ""; String[] tags() default {}; boolean deprecated() default false; io.swagger.v3.oas.annotations.responses.ApiResponse[] responses() default {};',
  Parameter:
    'String name() default ""; String description() default ""; boolean required() default false; boolean hidden() default false; io.swagger.v3.oas.annotations.media.Schema schema() default @io.swagger.v3.oas.annotations.media.Schema;',
  'media.Content': 'String mediaType() default ""; Schema schema() default @Schema;',
  'media.Schema':
    'enum RequiredMode { AUTO, REQUIRED, NOT_REQUIRED } RequiredMode requiredMode() default RequiredMode.AUTO; boolean nullable() default false; boolean required() default false; String description() default ""; String name() default ""; String title() default ""; String example() default ""; String format() default ""; String pattern() default ""; String type() default ""; String defaultValue() default ""; Class<?> implementation() default Void.class; String minimum() default ""; String maximum() default ""; int minLength() default 0; int maxLength() default 0;',
  'responses.ApiResponse':
    'String responseCode() default ""; String description() default ""; io.swagger.v3.oas.annotations.media.Content[] content() default {};',
}

const folder = mkdtempSync(join(tmpdir(), 'waymark-generators-'))
const run = promisify(execFile)
const env = { ...process.env, CI: 'true', REDOCLY_TELEMETRY: 'off' }

function install(): void {
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  const given = process.env['GENERATORS']
  if (given !== undefined) symlinkSync(given, join(folder, 'node_modules'))
  else execFileSync('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], { cwd: folder })
}

async function tool(name: string, ...args: readonly string[]): Promise<string> {
  const command = join(folder, 'node_modules/.bin', name)
  const { stdout, stderr } = await run(command, [...args], { cwd: folder, env })
  return stdout + stderr
}

async function call(file: string, text: string, url: string): Promise<void> {
  writeFileSync(join(folder, file), text)
  const tsx = fileURLToPath(new URL('../node_modules/.bin/tsx', import.meta.url))
  const { stdout } = await run(tsx, [file], { cwd: folder, env: { ...env, URL: url } })
  process.stdout.write(stdout)
}

async function compileJava(): Promise<void> {
  const config = `inputPath: openapi.json\noutputPath: java\ngenerator: "@openapi-generator-plus/java-jaxrs-client-generator"\npackage: gen\nuseBeanValidation: false\n`
  writeFileSync(join(folder, 'java.yml'), config)
  await tool('openapi-generator-plus', '-c', 'java.yml')
  for (const [name, members] of Object.entries(ANNOTATIONS)) {
    const path = `io.swagger.v3.oas.annotations.${name}`.split('.')
    const simple = path.pop() ?? ''
    mkdirSync(join(folder, 'java', ...path), { recursive: true })
    writeFileSync(
      join(folder, 'java', ...path, `${simple}.java`),
      `package ${path.join('.')}; public @interface ${simple} { ${members} }`,
    )
  }
  // Modules of Jackson that are not in Debian either.
  for (const [name, type] of [
    ['jsr310', 'JavaTimeModule'],
    ['jdk8', 'Jdk8Module'],
  ] as const) {
    const home = join(folder, 'java/com/fasterxml/jackson/datatype', name)
    mkdirSync(home, { recursive: true })
    writeFileSync(
      join(home, `${type}.java`),
      `package com.fasterxml.jackson.datatype.${name}; public class ${type} extends com.fasterxml.jackson.databind.module.SimpleModule {}`,
    )
  }
  const sources = readdirSync(join(folder, 'java'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.java'))
    .map((file) => join('java', file))
  const missing = JARS.filter((jar) => !existsSync(jar))
  if (missing.length > 0) {
    console.log(
      `openapi-generator-plus: ${sources.length} Java files; not compiled without ${missing.join(', ')}`,
    )
    return
  }
  await run('javac', ['-nowarn', '-cp', JARS.join(':'), '-d', 'classes', ...sources], {
    cwd: folder,
  })
  console.log(`openapi-generator-plus: ${sources.length} Java files compiled`)
}

const service = createTicketService()
const server = await serve(service, { port: 0, surfaces: [rest()] })
try {
  install()
  const document = await (await fetch(`${server.url}/openapi.json`)).text()
  writeFileSync(join(folder, 'openapi.json'), document)
  const verdict = await tool('redocly', 'lint', 'openapi.json')
  if (/(Warning|Error) was generated|You have/.test(verdict)) throw new Error(verdict)
  console.log('redocly: no warnings')
  await tool('openapi-ts', '-i', 'openapi.json', '-o', 'hey')
  await call('hey.ts', HEY, server.url)
  await tool('openapi-typescript', 'openapi.json', '-o', 'types.d.ts')
  await call('fetch.ts', FETCH, server.url)
  const strict = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022']
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler']
  await tool('tsc', ...strict, ...modules, 'hey.ts', 'fetch.ts')
  console.log('both type-check')
  await compileJava()
} finally {
  await server.close()
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}
