/** Narrows the navigation while somebody types; `/` goes to the field. */
export const SEARCH_SCRIPT: string = `
const field = document.getElementById('search')
const items = [...document.querySelectorAll('nav li[data-words]')]
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const item of items) item.hidden = !words.every((word) => item.dataset.words.includes(word))
  for (const section of document.querySelectorAll('nav section:not(.more)')) {
    section.hidden = !section.querySelector('li:not([hidden])')
  }
})
field.addEventListener('keydown', (event) => {
  const first = items.find((item) => !item.hidden)
  if (event.key === 'Enter' && first) location.href = first.querySelector('a').href
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input')) return
  event.preventDefault()
  field.focus()
})
`
