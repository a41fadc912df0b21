import { asList } from '../core/json.ts'
import { toSnake } from './names.ts'
import { asFilledText, read } from './node.ts'

/** Chooses the domain of a document: from file name and title, else from the host, else `api`. */
export function chooseDomain(document: unknown, file?: string): string {
  const title = asFilledText(read(read(document, 'info'), 'title')) ?? ''
  const words = toSnake(title).split('_').filter(Boolean)
  const stem = stemOf(file)
  if (stem !== '' && stem === words[0] && isUsable(stem)) return stem.slice(0, MAX_LENGTH)
  const fromTitle = joinWords(words.filter((word) => !NOISE.test(word)))
  if (fromTitle !== '') return fromTitle
  const fromHost = joinWords(hostLabel(document))
  return fromHost === '' ? 'api' : fromHost
}

const MAX_LENGTH = 32
const NOISE =
  /^(the|a|an|api|apis|rest|restful|web|http|https|public|services?|openapi|swagger|specification|spec|documentation|docs|reference|v\d[\d_]*|\d+)$/

function stemOf(file: string | undefined): string {
  const name = (file ?? '').split(/[/\\]/).at(-1) ?? ''
  const stem = name.replace(/\.(ya?ml|json)$/i, '')
  const words = toSnake(stem).split('_')
  return words.filter((word) => !/^(openapi|swagger|api|spec|v\d.*|\d+)$/.test(word)).join('_')
}

function joinWords(words: readonly string[]): string {
  let domain = ''
  for (const word of words) {
    const next = domain === '' ? word : `${domain}_${word}`
    if (next.length > MAX_LENGTH) break
    domain = next
  }
  if (domain === '') domain = (words[0] ?? '').slice(0, MAX_LENGTH)
  const lettered = domain.replace(/^[^a-z]+/, '')
  return isUsable(lettered) ? lettered : ''
}

function isUsable(text: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(text)
}

/** The label before the public suffix: `api.zendesk.com` gives `zendesk`. */
function hostLabel(document: unknown): string[] {
  const server = asFilledText(read(asList(read(document, 'servers'))[0], 'url'))
  const host =
    asFilledText(read(document, 'host')) ?? /^(?:https?:)?\/\/([^/:{}]+)/i.exec(server ?? '')?.[1]
  const labels = (host ?? '').split('.').filter((label) => /[a-z]/i.test(label))
  const label =
    labels.length >= 3 && /^(co|com|org|net|gov|ac)$/.test(labels.at(-2) ?? '')
      ? labels.at(-3)
      : labels.at(-2)
  return label === undefined ? [] : toSnake(label).split('_')
}
