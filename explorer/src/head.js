// Runs before anything is drawn, so that a dark page never flashes white.
;(() => {
  let theme = null
  try {
    theme = localStorage.getItem('waymark-explorer:theme')
  } catch {}
  const dark =
    theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
