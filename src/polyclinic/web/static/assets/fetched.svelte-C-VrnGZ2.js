import{q as a,u as n,A as o}from"./index-DrDy4tj1.js";function s(u){const t=a({value:null,fault:""});return n(()=>{o(u).then(e=>t.value=e,e=>t.fault=e.message)}),t}export{s as f};
