import { expect, test } from 'vitest'
import { codesOf } from './code'

test.each([
  ['nothing', undefined, []],
  ['only written', { viewLogic: 'select 1' }, [{ title: 'Code', text: 'select 1' }]],
  ['only compiled', { formattedViewLogic: 'select 1' }, [{ title: 'Code', text: 'select 1' }]],
  ['twice the same', { viewLogic: 'select 1\n', formattedViewLogic: 'select 1' }, [{ title: 'Code', text: 'select 1\n' }]],
  [
    'written and compiled',
    { viewLogic: "select * from {{ ref('a') }}", formattedViewLogic: 'select * from db.a' },
    [
      { title: 'As written', text: "select * from {{ ref('a') }}" },
      { title: 'Compiled', text: 'select * from db.a' },
    ],
  ],
])('%s', (_, view, codes) => expect(codesOf(view)).toEqual(codes))
