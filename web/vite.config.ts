import { defineConfig } from 'vite'

// The same source gives the same bytes: names are hashes of what is inside, and nothing of this machine gets in.
export default defineConfig({
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../src/loopwright/surfaces/server/web',
    emptyOutDir: true,
    // The licences of what is bundled, beside the page.
    license: { fileName: 'licenses.md' },
    // Browsers that know light-dark(), so that every colour is said once.
    target: ['chrome123', 'firefox128', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8765' } },
})
