import { defineConfig } from 'vitest/config';

export default defineConfig({
  // A test that needs a DOM says so itself: `// @vitest-environment happy-dom`.
  test: { include: ['tests/**/*.test.{ts,tsx}'], environment: 'node' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
