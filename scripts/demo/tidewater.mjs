import { SessionBuilder } from './session-builder.mjs';

const PROJECT = '/demo/projects/tidewater';

/** A tide table service in TypeScript: the session with the richest tree, its fork, a sub-agent, a stub. */
export function tidewaterSessions() {
  const late = lateTides();
  return [late, lateTidesExplorer(late), sqliteFork(late), moonPhases(), stub()];
}

function lateTides() {
  const s = new SessionBuilder({
    project: 'tidewater',
    id: '19c2f0a41b7d3e58',
    minutesAgo: 104,
    title: 'High water is one hour late after the clock change',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.add('thinking_level_change', { thinkingLevel: 'medium' });
  const cause = investigation(s);
  everythingInUtc(s, cause);
  stationZone(s);
  cacheLifetime(s);
  return s;
}

/** Gives the entry that both ways start from. */
function investigation(s) {
  s.user(
    'Since Sunday every high water in the Lisbon table is exactly one hour late. Before Sunday all is fine. Find out why, but change nothing yet.',
  );
  s.tool(
    'grep',
    { pattern: 'setHours|getTimezoneOffset', path: 'src' },
    [
      {
        type: 'text',
        text: 'src/predict.ts:48:  day.setHours(0, 0, 0, 0);\nsrc/render/table.ts:19:  const offset = day.getTimezoneOffset();',
      },
    ],
    {
      thinking:
        'Exactly one hour, starting on a Sunday: that is a clock change, not astronomy. Look for local time in the predictor.',
    },
  );
  s.tool(
    'read',
    { path: `${PROJECT}/src/predict.ts`, offset: 40, limit: 20 },
    [
      '40\texport function extremes(station: Station, date: string): Extreme[] {',
      '46\t  const day = new Date(date);',
      '48\t  day.setHours(0, 0, 0, 0);',
      '49\t  return search(station, day.getTime(), day.getTime() + DAY_MS);',
      '50\t}',
    ].join('\n'),
  );
  s.tool(
    'read',
    { path: `${PROJECT}/src/render/table.ts` },
    [
      '12\tfunction clock(ms: number, station: Station): string {',
      '19\t  const offset = day.getTimezoneOffset();',
      '20\t  return format(ms - offset * 60_000);',
      '21\t}',
    ].join('\n'),
  );
  const cause = s.say(
    "Found it. `clock()` takes the offset of **midnight** and uses it for the whole day. On the day of the change, and only for a server that runs in local time, midnight still has the old offset.\n\nThat explains the day itself. It does *not* explain Monday: there the cached table of Sunday is served, `Cache-Control: max-age=172800`.\n\nTwo causes, so two ways to go:\n\n1. render in the station's own zone with `Intl.DateTimeFormat`,\n2. keep UTC everywhere and let the page convert.",
    { thinking: 'The offset is the first half. Monday needs a second cause; the cache lifetime of 48 h fits.' },
  );
  s.label(cause, 'both causes');
  return cause;
}

/** The way that was given up, with two thoughts of its own that led nowhere. */
function everythingInUtc(s, cause) {
  s.user('Try the second way first: UTC everywhere, the page converts.');
  s.tool(
    'edit',
    {
      path: `${PROJECT}/src/render/table.ts`,
      oldText: 'return format(ms - offset * 60_000);',
      newText: 'return new Date(ms).toISOString();',
    },
    'Edited src/render/table.ts: 1 replacement',
  );
  s.tool(
    'bash',
    { command: 'npm test -- --run render' },
    'FAIL test/render.test.ts > the printed table\n  expected "04:12" to be "04:12Z"\n\nTests  1 failed | 31 passed',
    { isError: true },
  );
  const printed = s.say(
    "The printed PDF has no script to convert anything, so the second way breaks the harbour office's wall chart. Shall I render the PDF from a browser instead, or drop this way?",
  );
  s.user('What would the PDF from a browser cost us?');
  s.tool(
    'bash',
    { command: 'du -sh node_modules/puppeteer-core ~/.cache/puppeteer' },
    '4.1M\tnode_modules/puppeteer-core\n612M\t/home/ines/.cache/puppeteer',
  );
  s.say('612 MB more in the image and about 2 s a chart. For a table of 28 lines, I would not.');
  s.branchTo(printed, 'Looked at rendering the chart in a headless browser: 612 MB and 2 s a chart. Not worth it.');
  s.user('And a PDF with both columns, UTC and local?');
  const twoColumns = s.say(
    'It fits the page, but the harbour master reads it from three metres away. The columns would be 9 pt.',
  );
  s.label(twoColumns, 'ask Inês first');
  s.branchTo(
    cause,
    "UTC everywhere breaks the printed chart: a PDF cannot convert, a headless browser is too heavy, two columns are too small. Go back and render in the station's zone.",
  );
}

/** The way that was taken, until the context was full. */
function stationZone(s) {
  const chosen = s.user("Good. Then the first way: the station's own zone, with Intl. Keep the predictor in UTC.");
  s.tool(
    'edit',
    {
      path: `${PROJECT}/src/predict.ts`,
      oldText: '  day.setHours(0, 0, 0, 0);',
      newText: '  day.setUTCHours(0, 0, 0, 0);',
    },
    'Edited src/predict.ts: 1 replacement',
    { text: 'The predictor first: UTC midnight, whatever the server thinks.' },
  );
  s.tool(
    'write',
    {
      path: `${PROJECT}/src/render/clock.ts`,
      content:
        "const formats = new Map<string, Intl.DateTimeFormat>();\n\nexport function clock(ms: number, timeZone: string): string {\n  let format = formats.get(timeZone);\n  if (format === undefined) {\n    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });\n    formats.set(timeZone, format);\n  }\n  return format.format(ms);\n}\n",
    },
    'Wrote 412 bytes to src/render/clock.ts',
  );
  s.tool(
    'bash',
    { command: 'TZ=America/Sao_Paulo npm test -- --run && TZ=Asia/Tokyo npm test -- --run' },
    'Tests  33 passed (33)\nTests  33 passed (33)',
  );
  s.say(
    'Both causes are gone. The tests run in two foreign zones, and the table of the change day has the 02:00 gap where it belongs.',
  );
  s.compact(
    "Goal: high water one hour late after the clock change. Cause 1: midnight's offset used for the whole day (src/render/table.ts). Cause 2: tables cached for 48 h. Decision: predictor in UTC, rendering in the station's zone by src/render/clock.ts. Tests pass in two zones. Open: cache lifetime.",
    'Clock change: predictor in UTC, station zone at the edge; cache lifetime open',
    chosen,
  );
}

function cacheLifetime(s) {
  s.user('Now the cache: a table must not outlive the day it was made on.', 68 * 60_000);
  s.tool(
    'edit',
    {
      path: `${PROJECT}/src/http/table-route.ts`,
      oldText: "'max-age=172800'",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that the agent writes
      newText: '`max-age=${secondsToMidnight(now, station.timeZone)}`',
    },
    'Edited src/http/table-route.ts: 1 replacement',
  );
  s.tool('bash', { command: 'npm test -- --run' }, 'Tests  36 passed (36)');
  const done = s.say(
    "Done: a table now expires at the station's own midnight. Three tests pin it, one of them on the day of the change, which has 23 hours. ⏰",
  );
  s.label(done, 'ready for review');
}

function lateTidesExplorer(parent) {
  const s = new SessionBuilder({
    project: 'tidewater',
    id: '19c2f0a5570c1d02',
    minutesAgo: 101,
    parentSession: parent.id,
  });
  s.add('session_init', {
    systemPrompt: 'You explore a code base and report; you change nothing.',
    task: 'List every place that reads the local time zone.',
    tools: ['read', 'grep', 'find'],
  });
  s.user('List every place that reads the local time zone.', 1_000);
  s.tool(
    'grep',
    { pattern: 'new Date\\(|Date\\.now', path: 'src' },
    'src/predict.ts:46\nsrc/http/table-route.ts:22\nsrc/log.ts:9',
  );
  s.say(
    'Three places: `src/predict.ts:46` (matters), `src/http/table-route.ts:22` (matters), `src/log.ts:9` (only a log line).',
  );
  return Object.defineProperty(s, 'relativePath', {
    value: parent.relativePath.replace(/\.jsonl$/, '/0-Explore.jsonl'),
  });
}

function sqliteFork(original) {
  const s = new SessionBuilder({
    project: 'tidewater',
    id: '19c2f31e8840aa17',
    minutesAgo: 31,
    title: 'Spike: harmonic constants in SQLite instead of JSON',
    parentSession: original.path,
    model: 'openai/gpt-5.2',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.user(
    'Forked from the clock change. Separate idea: the 40 MB of constants as one SQLite file. Measure before you believe.',
  );
  s.tool('bash', { command: 'node bench/load.mjs --json --repeat 20' }, 'json    load 418 ms   rss +212 MB\n');
  s.tool(
    'bash',
    { command: 'node bench/load.mjs --sqlite --repeat 20' },
    'sqlite  load   6 ms   rss  +11 MB   station lookup 0.09 ms\n',
  );
  s.say(
    'Seventy times faster to start, and 200 MB less. A lookup costs 0.09 ms, of which the request does one.\n\n| | load | memory | lookup |\n| --- | ---: | ---: | ---: |\n| JSON | 418 ms | +212 MB | 0.00 ms |\n| SQLite | 6 ms | +11 MB | 0.09 ms |',
  );
  s.user('Convinced. Write the importer, and keep the JSON as the source of truth.');
  s.tool('bash', { command: 'node scripts/import-constants.mjs --check', timeout: 120 }, undefined, {
    text: 'The importer is written; checking all 3,412 stations against the JSON now.',
  });
  return s;
}

function moonPhases() {
  const s = new SessionBuilder({
    project: 'tidewater',
    id: '19bfd2207719c3e4',
    minutesAgo: 3 * 24 * 60 + 200,
    title: 'Spring and neap badges',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.user('Show 🌕 🌓 🌑 🌗 beside the days with spring and neap tides.');
  s.tool('find', { pattern: '*.css', path: 'src/render' }, 'src/render/table.css\nsrc/render/print.css');
  s.say(
    'Added. One trap: 🌓 and 🌗 look the same to some people and printers, so each has a word beside it: *neap, waxing* and *neap, waning*.',
  );
  s.user('Southern hemisphere?');
  s.say(
    'Good catch: there the lit side is the other one. The badge now asks for the sign of the latitude, and Punta Arenas has a test.',
  );
  return s;
}

function stub() {
  const s = new SessionBuilder({ project: 'tidewater', id: '19c2e8cc02b1f690', minutesAgo: 240 });
  s.add('model_change', { model: s.model, role: 'default' });
  return s;
}
