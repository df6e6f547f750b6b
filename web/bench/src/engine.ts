import { mount } from 'svelte'
import '../../src/lib/theme.css'
import './page.css'
import Engine from './Engine.svelte'

mount(Engine, { target: document.getElementById('stage')! })
