import { SessionBuilder } from './session-builder.mjs';

const PROJECT = '/demo/projects/paperplane';

/** A mail queue in Python: a plan, notes from extensions, a session of omp, and one older than entry ids. */
export function paperplaneSessions() {
  return [poisonedLetters(), retryStorm(), firstSession()];
}

function poisonedLetters() {
  const s = new SessionBuilder({
    project: 'paperplane',
    id: '19c0dd83a5be7f21',
    minutesAgo: 33 * 60,
    title: 'One poisoned message stops the whole queue',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.add('mode_change', { mode: 'plan', data: { file: 'PLAN.md' } });
  s.add('custom', { customType: 'todo', data: { open: ['reproduce', 'dead-letter table', 'alert'] } });
  s.user('A single message with a broken header blocks everything behind it. Plan a dead-letter queue.');
  s.tool(
    'read',
    { path: `${PROJECT}/worker/consume.py` },
    '31\twhile True:\n32\t    message = queue.peek()\n33\t    send(parse(message))\n34\t    queue.pop()',
  );
  const plan = s.say(
    'The worker peeks, fails in `parse`, never pops, and meets the same message again: a loop of 400 exceptions a second.\n\n**Plan**\n\n1. a test that puts one broken message before ten good ones,\n2. `dead_letters(id, body, error, first_seen, attempts)`,\n3. after five attempts move it there in the same transaction as the pop,\n4. one alert a day, not one a message.',
  );
  s.label(plan, 'the plan');
  s.add('mode_change', { mode: 'none' });
  s.add('custom_message', {
    customType: 'house-rules',
    content: 'Migrations in this repository are written by hand and have a way back.',
    display: true,
  });
  s.user('Go, in this order.');
  s.tool('bash', { command: 'pytest -q tests/test_poison.py' }, 'F\nE   Failed: Timeout >5.0s\n1 failed in 5.12s', {
    isError: true,
    text: 'The test first: it must hang.',
  });
  s.add('ttsr_injection', { injectedRules: ['migrations-have-a-way-back'] });
  s.tool(
    'write',
    {
      path: `${PROJECT}/migrations/0009_dead_letters.sql`,
      content:
        'CREATE TABLE dead_letters (\n  id bigint PRIMARY KEY,\n  body bytea NOT NULL,\n  error text NOT NULL,\n  first_seen timestamptz NOT NULL,\n  attempts int NOT NULL\n);\n-- back: DROP TABLE dead_letters;\n',
    },
    'Wrote 211 bytes to migrations/0009_dead_letters.sql',
  );
  s.tool('bash', { command: 'pytest -q' }, '........................................ 40 passed in 3.80s');
  s.say(
    'All ten good messages arrive, the broken one is in `dead_letters` with its traceback, and the log has one line instead of 2,000.',
  );
  return s;
}

function retryStorm() {
  const s = new SessionBuilder({
    agent: 'omp',
    project: 'paperplane',
    id: '019c4a1e-03b7-7d15-8c6a-2f90e17b4d08',
    minutesAgo: 55,
    title: 'Retries arrive in one wave at :00',
    model: 'google/gemini-3-pro',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.user('After an outage all retries come in the same second and we are rate-limited again. Spread them.');
  const jitter = s.say(
    'Exponential back-off alone keeps the wave together: everybody failed at once, so everybody doubles at once. Full jitter breaks it: `random.uniform(0, min(cap, base * 2 ** attempt))`.',
  );
  s.user('Show me the difference before we change anything.');
  s.tool(
    'bash',
    { command: 'python sim/retry.py --clients 5000' },
    'no jitter     peak 4,981 requests/s\nfull jitter   peak   212 requests/s',
  );
  s.say('From 4,981 to 212 requests in the worst second.\n\n`▁▁▁▁█▁▁▁▁` → `▂▃▃▄▄▃▃▂▂`');
  s.branchTo(jitter, 'Simulated: full jitter lowers the peak from 4,981 to 212 requests a second.');
  s.user('Convinced. And honour Retry-After when the server sends one.');
  s.tool(
    'edit',
    {
      path: `${PROJECT}/worker/retry.py`,
      oldText: 'delay = base * 2 ** attempt',
      newText: 'delay = retry_after or random.uniform(0, min(cap, base * 2 ** attempt))',
    },
    'Edited worker/retry.py: 1 replacement',
  );
  s.say('Done. `Retry-After` wins over our own guess, whether it is a number of seconds or a date.');
  return s;
}

// Version 1 had neither ids nor parents: a straight line in the order of the file.
function firstSession() {
  const s = new SessionBuilder({ project: 'paperplane', id: '1985fa0be3d17c46', minutesAgo: 210 * 24 * 60 });
  s.user('What would a mail queue look like that we could explain on one sheet of paper?');
  s.say(
    'One table, one worker, one transaction:\n\n```sql\nSELECT id, body FROM outbox ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;\n```\n\nEverything else is a refinement of that line. ✉️',
  );
  s.user('Then we start with exactly that line.');
  s.say('Repository created, with that line as its first commit.');
  const old = s.text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { id, parentId: _parent, version: _version, ...entry } = JSON.parse(line);
      return `${JSON.stringify(entry.type === 'session' ? { type: 'session', id, ...entry } : entry)}\n`;
    });
  return Object.defineProperty(s, 'text', { value: old.join('') });
}
