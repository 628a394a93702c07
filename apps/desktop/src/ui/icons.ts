/** Line drawings on a 16 grid, 1.35 stroke. Static text of our own: safe to set as markup. */
export const ICONS = {
  swarm:
    '<circle cx="8" cy="8" r="1.6"/><circle cx="8" cy="2.9" r="1.1"/><circle cx="12.5" cy="5.5" r="1.1"/><circle cx="12.5" cy="10.5" r="1.1"/><circle cx="8" cy="13.1" r="1.1"/><circle cx="3.5" cy="10.5" r="1.1"/><circle cx="3.5" cy="5.5" r="1.1"/>',
  inbox: '<path d="M2 9.2 4 3.5h8l2 5.7v3.3H2z"/><path d="M2 9.2h3.3l.9 1.6h3.6l.9-1.6H14"/>',
  artifacts:
    '<rect x="2" y="3" width="12" height="10" rx="1.5"/><path d="M2 10.2l3.2-3 2.6 2.4 2-1.7 4.2 3.6"/><circle cx="10.6" cy="5.9" r=".9"/>',
  search: '<circle cx="7" cy="7" r="4.2"/><path d="m10.2 10.2 3.4 3.4"/>',
  plus: '<path d="M8 3v10M3 8h10"/>',
  x: '<path d="m4 4 8 8M12 4l-8 8"/>',
  check: '<path d="m3 8.5 3.2 3.2L13 4.8"/>',
  down: '<path d="m4 6 4 4 4-4"/>',
  right: '<path d="m6 4 4 4-4 4"/>',
  left: '<path d="m10 4-4 4 4 4"/>',
  up: '<path d="m4 10 4-4 4 4"/>',
  arrow: '<path d="M3 8h10M9 4l4 4-4 4"/>',
  play: '<path d="M5 3.4v9.2l7.4-4.6z"/>',
  pause: '<path d="M5.4 3.5v9M10.6 3.5v9"/>',
  stop: '<rect x="4" y="4" width="8" height="8" rx="1"/>',
  steer: '<path d="M8 13V3.500M4 7.200l4-4 4 4"/>',
  queue: '<path d="M2.5 4h8M2.5 8h8M2.5 12h5M12 9.500v5M9.5 12h5"/>',
  terminal: '<rect x="1.8" y="3" width="12.4" height="10" rx="1.5"/><path d="m4.5 6.2 2 1.8-2 1.800M8.5 10h3"/>',
  diff: '<path d="M4 2v7M1.8 5.500h4.400M10 11.500h4.2"/><path d="M3 14 13 2" opacity=".45"/>',
  file: '<path d="M4 1.800h5l3 3v9.400H4z"/><path d="M9 1.800v3h3"/>',
  question:
    '<path d="M8 1.6 14.4 8 8 14.4 1.6 8z"/><path d="M6.5 6.600c0-2 3-2 3-.1 0 1.2-1.5 1.2-1.5 2.400M8 10.700v.1"/>',
  key: '<circle cx="5" cy="8" r="2.6"/><path d="M7.6 8H14v2.200M11.2 8v1.8"/>',
  clock: '<circle cx="8" cy="8" r="5.8"/><path d="M8 4.600V8l2.3 1.6"/>',
  copy: '<rect x="5" y="5" width="8.5" height="8.5" rx="1.3"/><path d="M10.8 5V3.200H2.800v8h2.2"/>',
  open: '<path d="M9 2.500h4.500V7M13.5 2.5 7.5 8.500M12 9.500v4H2.500V4H7"/>',
  sun: '<circle cx="8" cy="8" r="2.7"/><path d="M8 1.600v1.600M8 12.800v1.600M1.6 8h1.600M12.8 8h1.600M3.5 3.500l1.1 1.100M11.4 11.400l1.1 1.100M12.5 3.500l-1.1 1.100M4.6 11.400l-1.1 1.1"/>',
  table: '<rect x="2" y="3" width="12" height="10" rx="1.2"/><path d="M2 6.400h12M2 9.700h12M6 6.400V13"/>',
  grid: '<rect x="2.2" y="2.2" width="4.8" height="4.8" rx="1"/><rect x="9" y="2.2" width="4.8" height="4.8" rx="1"/><rect x="2.2" y="9" width="4.8" height="4.8" rx="1"/><rect x="9" y="9" width="4.8" height="4.8" rx="1"/>',
  more: '<circle cx="3.5" cy="8" r=".7"/><circle cx="8" cy="8" r=".7"/><circle cx="12.5" cy="8" r=".7"/>',
  break:
    '<path d="M6.5 9.5 4.7 11.300a2.3 2.3 0 0 1-3.2-3.200L3.3 6.300M9.5 6.500l1.8-1.800a2.3 2.3 0 0 1 3.2 3.200l-1.8 1.800M5 2.500v1.800M2.5 5h1.800M11 13.500v-1.800M13.5 11h-1.8"/>',
  shield:
    '<path d="M8 1.7 13.3 3.600v4.100c0 3.3-2.3 5.6-5.3 6.6-3-1-5.3-3.3-5.3-6.600V3.600z"/><path d="m5.7 8 1.7 1.7 3-3.2"/>',
  warn: '<path d="M8 2.3 14.4 13.300H1.600z"/><path d="M8 6.500v3.200M8 11.500v.1"/>',
  info: '<circle cx="8" cy="8" r="5.8"/><path d="M8 7.400v3.400M8 5.200v.1"/>',
  side: '<rect x="2" y="3" width="12" height="10" rx="1.5"/><path d="M6 3v10"/>',
  history: '<path d="M2.5 8a5.5 5.5 0 1 0 1.7-4L2.5 5.600M2.5 2.500v3.100h3.100M8 5v3.200l2.2 1.3"/>',
  filter: '<path d="M2.5 4h11M4.7 8h6.600M6.7 12h2.6"/>',
  list: '<path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1"/>',
  brain: '<path d="M3 4h10M3 8h7M3 12h4"/>',
  keyboard:
    '<rect x="1.5" y="4" width="13" height="8" rx="1.3"/><path d="M4 6.500h.1M6.6 6.500h.1M9.2 6.500h.1M11.9 6.500h.1M4 9.600h.1M6.5 9.600h3.200M11.9 9.600h.1"/>',
  download: '<path d="M8 2.500v7.500M4.6 7 8 10.3 11.4 7M2.8 13.300h10.4"/>',
} as const;
export type IconName = keyof typeof ICONS;
