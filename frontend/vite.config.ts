import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The built files are committed with the package, so a build must give the same bytes everywhere.
export default defineConfig({
  plugins: [svelte()],
  base: '/',
  build: {
    outDir: '../src/polyclinic/web/static',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // One small file: a style that did not come because the server was away would not be asked for again.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 600,
    reportCompressedSize: false,
    rollupOptions: { output: { manualChunks: undefined } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8040' } },
});
