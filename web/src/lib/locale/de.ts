export { categories } from './en'
export const capitalNouns: boolean = true
