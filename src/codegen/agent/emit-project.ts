import type { AgentPlan } from './generate-agent.ts'
import { listQueueClients } from './queue-clients.ts'

/** Emits the package of an agent: it runs on `waymark` and the clients of its queues. */
export function emitPackage(plan: AgentPlan): string {
  const dependencies = { ...listQueueClients(plan.specs), waymark: plan.waymark }
  return toJson({
    name: plan.name.toLowerCase(),
    version: '0.1.0',
    private: true,
    description: plan.description.slice(0, 200),
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      check: 'tsc --noEmit',
      build: 'tsc',
      prestart: 'npm run build',
      start: 'node dist/server.js',
    },
    dependencies,
    devDependencies: { '@types/node': '^20.19.0', typescript: '^5.9.0' },
  })
}

/** Emits the compiler settings of an agent. */
export function emitTsconfig(): string {
  return toJson({
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023'],
      types: ['node'],
      module: 'nodenext',
      moduleResolution: 'nodenext',
      rootDir: '.',
      outDir: 'dist',
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      skipLibCheck: true,
    },
    include: ['server.ts', 'capabilities', 'triggers'],
  })
}

/** Emits a Dockerfile that builds in one stage and runs in another. */
export function emitDockerfile(plan: AgentPlan): string {
  return `FROM node:22-slim AS build
WORKDIR /app
COPY package*.json ./
RUN npm install --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=${plan.port}
COPY package.json ./
COPY --from=build /app/dist ./dist
COPY --from=build /app/node_modules ./node_modules
USER node
EXPOSE ${plan.port}
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server.js"]
`
}

/** Emits what a build must not see. */
export function emitDockerIgnore(): string {
  return 'node_modules\ndist\n.env\n.git\n'
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
