// What tests need of a browser: a place for preferences, and a language.
import { vi } from 'vitest'

vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
vi.stubGlobal('navigator', { language: 'en' })
