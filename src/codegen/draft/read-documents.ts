import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { DraftDocument } from './draft-spec.ts'

/** How documentation is read. */
export interface ReadDocumentsOptions {
  /** Fetches an address and gives its text; hand in one that only reaches public addresses. */
  readonly fetchText: (url: string) => Promise<string>
}

const MAX_FILE_BYTES = 1024 * 1024
const MAX_FILES = 100
const READABLE = /\.(?:ts|js|md)$/

/** Reads documentation from addresses, files and directories (their `.ts`, `.js` and `.md` files). */
export async function readDocuments(
  sources: readonly string[],
  options: ReadDocumentsOptions,
): Promise<DraftDocument[]> {
  const documents: DraftDocument[] = []
  for (const source of sources) {
    if (/^https?:\/\//i.test(source)) {
      documents.push({ name: source, text: toText(await options.fetchText(source)) })
    } else if ((await stat(source)).isDirectory()) {
      documents.push(...(await readDirectory(source)))
    } else {
      documents.push({ name: source, text: await readStart(source) })
    }
  }
  return documents
}

async function readDirectory(directory: string): Promise<DraftDocument[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && READABLE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(?:^|[\\/])node_modules[\\/]/.test(relative(directory, path)))
    .sort()
    .slice(0, MAX_FILES)
  return Promise.all(paths.map(async (path) => ({ name: path, text: await readStart(path) })))
}

async function readStart(path: string): Promise<string> {
  return (await readFile(path)).subarray(0, MAX_FILE_BYTES).toString('utf8')
}

// Pages are mostly markup; what a model needs is what a reader would see.
function toText(page: string): string {
  if (!/<(?:html|body|div|p)\b/i.test(page.slice(0, 10_000))) return page
  return page
    .replace(/<(script|style|noscript|svg)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6]|\/pre)\b[^>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|nbsp|#39);/g, (entity) => ENTITIES[entity] ?? ' ')
    .replace(/[ \t]+/g, ' ')
    .replace(/(?<![ \t])[ \t]*\n\s*/g, '\n')
    .trim()
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': ' ',
  '&#39;': "'",
}
