export { capitalNouns, categories } from './en'
