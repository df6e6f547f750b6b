import { text, type Tree } from './json'

export interface Code {
  title: string
  text: string
}

/** The code of a dataset that is made by one: as it was written, and as it ran, if that differs. */
export function codesOf(view: Tree | undefined): Code[] {
  const written = text(view?.viewLogic)
  const compiled = text(view?.formattedViewLogic)
  const both = written !== '' && compiled !== '' && written.trim() !== compiled.trim()
  if (both)
    return [
      { title: 'As written', text: written },
      { title: 'Compiled', text: compiled },
    ]
  const only = written || compiled
  return only ? [{ title: 'Code', text: only }] : []
}
