import { defineConfig } from 'vitest/config';

// The slow tier: what takes minutes and needs the package registry.
export default defineConfig({
  test: { include: ['dist/test/slow/**/*.test.js'], exclude: ['node_modules/**'], pool: 'forks' },
});
