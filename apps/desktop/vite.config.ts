import type { Plugin } from "vite";
import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

/** The two faces that every page needs at first paint are asked for before the style sheet is read. */
function preloadFonts(): Plugin {
  return {
    name: "preload-fonts",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        return Object.keys(bundle ?? {})
          .filter((file) => /geist(-mono)?-latin-wght-normal.*\.woff2$/.test(file))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: "", href: `./${file}` },
            injectTo: "head" as const,
          }));
      },
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [solid(), preloadFonts()],
  // Nothing is inlined: the page's content policy allows scripts, styles and fonts from its own origin only.
  build: { target: "es2023", assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: true },
});
