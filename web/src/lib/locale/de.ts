export { de as dates } from 'date-fns/locale/de'
export { categories } from './en'
export const capitalNouns: boolean = true
