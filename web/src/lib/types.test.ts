import { expect, test } from 'vitest'
import { modelType } from './types'

test('types in the spelling of GraphQL', () => {
  expect(['DATASET', 'DATA_JOB', 'CORP_USER', 'CORP_GROUP', 'MLFEATURE_TABLE', 'SCHEMA_FIELD', 'DATAHUB_POLICY'].map(modelType)).toEqual([
    'dataset',
    'dataJob',
    'corpuser',
    'corpGroup',
    'mlFeatureTable',
    'schemaField',
    'dataHubPolicy',
  ])
})

test('the name in the model, and what is not known, stay', () => {
  expect(modelType('dataJob')).toBe('dataJob')
  expect(modelType('SOMETHING_NEW')).toBe('SOMETHING_NEW')
})
