import { UsageError } from './exit.ts'

/** Makes importing TypeScript possible where Node cannot do it by itself. */
export async function enableTypeScript(path: string): Promise<void> {
  const features = process.features as { readonly typescript?: unknown }
  if (features.typescript || process.execArgv.some((argument) => argument.includes('tsx'))) return
  try {
    const { register } = await import('tsx/esm/api')
    register()
  } catch {
    throw new UsageError(
      `${path} is TypeScript, which Node ${process.versions.node} cannot run by itself; install tsx (npm install --save-dev tsx) or use Node 22.18 or later`,
    )
  }
}
