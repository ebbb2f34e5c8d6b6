import{r as n,v as o,C as u}from"./index-xq7CX_7T.js";function r(a){const t=n({value:null,fault:""});return o(()=>{u(a).then(e=>t.value=e,e=>t.fault=e.message)}),t}export{r as f};
