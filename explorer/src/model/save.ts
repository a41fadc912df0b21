import { toText } from '../../../src/values/json.ts'

/** Hands bytes or text to the browser to be saved as a file. */
export function saveFile(name: string, content: BlobPart, mimeType: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type: mimeType }))
  link.download = name
  link.click()
  // The browser has taken it over once the click is done with.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** Undoes base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))
}

/** Reads a file as base64. */
export function readBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(toText(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read'))
    reader.readAsDataURL(file)
  })
}

/** Makes a name that every file system takes. */
export function toFileName(name: string): string {
  return name.replace(/[^\w.\- ]/g, '_').replace(/^\.+/, '') || 'file'
}
