import { knownTypes } from './kinds'

const bySpelling = new Map(knownTypes.map((type) => [plain(type), type]))

/** The model's name of a type that GraphQL spells differently: DATA_JOB is dataJob. */
export function modelType(spelled: string): string {
  return bySpelling.get(plain(spelled)) ?? spelled
}

function plain(type: string): string {
  return type.replaceAll('_', '').toLowerCase()
}
